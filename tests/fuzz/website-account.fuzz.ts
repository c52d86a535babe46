import { fuzzPages } from './website-pages';

fuzzPages((path) => path.startsWith('/user/'), { forms: 40, requests: 2_500 });
