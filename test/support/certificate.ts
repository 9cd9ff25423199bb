/** A certificate without an owner, valid from 2020 to 2120, as in the metadata of an identity provider. */
export const certificateBody =
  'MIIBBzCBrgIBATAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARhY21lMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAPMQ0wCwYDVQQDDARhY21lMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEDDOKLOAHJZVAMIU4rMW5DmQn1sC45NIWcGAEJCo8irypFxQlN8gJ/fhyU4rupFBLpZGFP111k8o0kD4ZX+sChDAKBggqhkjOPQQDAgNIADBFAiEAkrLkuFzhznP/eqDG/1N8kxZ+ArdwRVVVv7EB7iRlULcCIH4LMWo7mJVyew6IwdxQG8/EjKSK+CoFSbLtVm0oTfkr';

export const certificate = `-----BEGIN CERTIFICATE-----\n${certificateBody.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;

/** A certificate of CN=other, O=Acme, valid until 2126-11-05. */
export const otherCertificate = `-----BEGIN CERTIFICATE-----\n${'MIIBljCCATugAwIBAgIUXg4TZhp03U4Ask+9Ly47sukECUkwCgYIKoZIzj0EAwIwHzEOMAwGA1UEAwwFb3RoZXIxDTALBgNVBAoMBEFjbWUwIBcNMjYxMTI5MjA1ODQ5WhgPMjEyNjExMDUyMDU4NDlaMB8xDjAMBgNVBAMMBW90aGVyMQ0wCwYDVQQKDARBY21lMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3SmKA/w7TsoaaiUW8fqsTIrmRTUalOB0X90bBALPW75LVsr01AaF8ypxddmKr584XawbnioLC7f+iBGPuMZTsaNTMFEwHQYDVR0OBBYEFJwqekGba3TLBPS8drW0QnADwhNZMB8GA1UdIwQYMBaAFJwqekGba3TLBPS8drW0QnADwhNZMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAPtSLuMWJqU1XpZzRuNbkOTasiRhGzvMm/CBLRAY5LkDAiEAwcSXxf+gaNnF3Pq6FsLqLt2tzXraScx+TfelFxb9qtk='.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
