import { randomBytes } from 'node:crypto';
import { openGateway } from '../build/runtime/gateway/open-gateway.js';

// The built gateway in its own process, as with `npm start`, in front of a host but no website.
const { port } = await openGateway(
  {
    HOST_URL: process.env.HOST_URL,
    PORT: '0',
    GATEWAY_ADDRESS: '127.0.0.1',
    INTERNAL_SECRET: randomBytes(32).toString('hex'),
    LOG_LEVEL: 'silent',
  },
  9,
  [],
);
process.send?.({ port });
