import pino from 'pino';
import { startGateway } from '#host/gateway/gateway';

// The gateway in its own process, as with `npm start`, in front of a host but no website.
const { port } = await startGateway({
  port: 0,
  address: '127.0.0.1',
  websiteUrl: 'http://127.0.0.1:9',
  hostUrl: process.env.HOST_URL ?? '',
  trustProxy: null,
  countryHeader: null,
  appName: 'Quadrille',
  addresses: [],
  internalKeys: ['the key of the bench'],
  hstsSubdomains: false,
  log: pino({ level: 'silent' }),
});
process.send?.({ port });
