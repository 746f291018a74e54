

g	
aRelu
bRelu"a:0X *cv0:enable@J
AIcoreEngineJ
DNN_HCCLR


a

b`hpxÄàêò