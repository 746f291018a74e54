

g	
aRelu
bRelu"a:0J
EJ
E