import { fuzzConnections, fuzzPages } from './website-pages';

fuzzPages((path) => !path.startsWith('/user/'), { forms: 20, requests: 2_000 }, fuzzConnections);
