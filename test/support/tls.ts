/**
 * A certificate for receiver.test that no authority signed, valid for a hundred years, with its key. It guards
 * nothing: it is here so that tests can meet TLS, trusted (by naming it as an authority) and not.
 */
export const TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBsjCCAVigAwIBAgIUMXWBR13kiXQYmeFRMFPXvo7cnvAwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDAgFw0yNjExMTUwMTQ5MDdaGA8yMTI2
MTAyMjAxNDkwN1owGDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABCuJNVgzS6Nwq7/8DC+skdrZ9llN5XzXvuP2zcDd/0CY
1CzVv5SROLaN4a6fib3WCpPOlePFi6sp3001dzMZGwajfjB8MB0GA1UdDgQWBBTl
YcKqEDU2O7doyUeRy3SjZDyOlTAfBgNVHSMEGDAWgBTlYcKqEDU2O7doyUeRy3Sj
ZDyOlTAPBgNVHRMBAf8EBTADAQH/MCkGA1UdEQQiMCCCDXJlY2VpdmVyLnRlc3SC
DyoucmVjZWl2ZXIudGVzdDAKBggqhkjOPQQDAgNIADBFAiB3RuZJkHufBJLM8SD4
SwrfwVhZYkBrZHQtEGWavLIm5AIhAJ3FLndvpPkcpJgvvp9qkDtYRa8RLRk3BGdZ
Qs5evTW7
-----END CERTIFICATE-----`;

export const TEST_CERTIFICATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjt3ETvWAhLpQQ8ev
+qjndBUAp0fpF1jpgg5s5npYg+mhRANCAAQriTVYM0ujcKu//AwvrJHa2fZZTeV8
177j9s3A3f9AmNQs1b+UkTi2jeGun4m91gqTzpXjxYurKd9NNXczGRsG
-----END PRIVATE KEY-----`;
