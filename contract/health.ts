import { z } from 'zod';
import { call, dataOf } from './call';

export const getHealth = call({
  name: 'getHealth',
  method: 'GET',
  path: '/healthz',
  summary: 'Whether the host answers and its database does',
  access: 'public',
  beyond: true,
  response: dataOf(z.object({ database: z.literal('up') })),
  errors: ['unavailable'],
});
