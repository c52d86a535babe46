import { hostAddress } from './host-server';

// Files of one process share the modules they load, and the website reads its settings only once.
process.env.HOST_URL = await hostAddress();
