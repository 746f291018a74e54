

g	
aRelu
bRelu"a:0R

z