/** A certificate without an owner, valid from 2020 to 2120, as in the metadata of an identity provider. */
export const certificateBody =
  'MIIBBzCBrgIBATAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARhY21lMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAPMQ0wCwYDVQQDDARhY21lMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEDDOKLOAHJZVAMIU4rMW5DmQn1sC45NIWcGAEJCo8irypFxQlN8gJ/fhyU4rupFBLpZGFP111k8o0kD4ZX+sChDAKBggqhkjOPQQDAgNIADBFAiEAkrLkuFzhznP/eqDG/1N8kxZ+ArdwRVVVv7EB7iRlULcCIH4LMWo7mJVyew6IwdxQG8/EjKSK+CoFSbLtVm0oTfkr';

export const certificate = `-----BEGIN CERTIFICATE-----\n${certificateBody.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
