import { z } from 'zod';
import { call, dataOf } from './call';

export const getLiveness = call({
  name: 'getLiveness',
  method: 'GET',
  path: '/livez',
  summary: 'Whether the process serves scans, with or without its database; 503 while it shuts down',
  access: 'public',
  response: dataOf(z.object({ process: z.literal('up') })),
  errors: ['unavailable'],
});

export const getReadiness = call({
  name: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  summary: 'Whether the process and its database respond; 503 while it shuts down',
  access: 'public',
  response: dataOf(z.object({ database: z.literal('up') })),
  errors: ['unavailable'],
});

export const getHealth = call({
  name: 'getHealth',
  method: 'GET',
  path: '/healthz',
  summary: 'Same as readiness, under its older name',
  access: 'public',
  response: dataOf(z.object({ database: z.literal('up') })),
  errors: ['unavailable'],
});
