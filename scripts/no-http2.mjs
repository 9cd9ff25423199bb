/** In place of node:http2 in the bundle: undici speaks HTTP/1.1 with us, but would load HTTP/2 at every start. */
export const constants = {};
