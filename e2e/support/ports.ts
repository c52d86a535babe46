/** Consecutive ports: the gateway, which browsers use, then the host and the factories. */
export const WEB_PORT = Number(process.env.E2E_PORT ?? 3200);
export const HOST_PORT = WEB_PORT + 1;
export const FACTORY_PORT = WEB_PORT + 2;
/** The OpenID provider in place of Google. */
export const GOOGLE_PORT = WEB_PORT + 3;
/** The website's own server; browsers reach it through the gateway on `WEB_PORT`. */
export const REMIX_PORT = WEB_PORT + 4;
