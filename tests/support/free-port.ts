export { findFreePort as freePort } from '../../runtime/ports.mjs';
