long long f(long long a,long long b){return a*b;} unsigned g(unsigned a,unsigned b){return a/b;} long long h(int a,int b){return (long long)a*b;} long long s(long long a,int b){return a>>b;}
