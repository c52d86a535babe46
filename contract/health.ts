import { z } from 'zod';
import { call, dataOf } from './call';

export const getLiveness = call({
  name: 'getLiveness',
  method: 'GET',
  path: '/livez',
  summary: 'Whether the process answers scans, with or without its database; 503 while it shuts down',
  access: 'public',
  beyond: true,
  response: dataOf(z.object({ process: z.literal('up') })),
  errors: ['unavailable'],
});

export const getReadiness = call({
  name: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  summary: 'Whether the process and its database answer; 503 while it shuts down',
  access: 'public',
  beyond: true,
  response: dataOf(z.object({ database: z.literal('up') })),
  errors: ['unavailable'],
});

export const getHealth = call({
  name: 'getHealth',
  method: 'GET',
  path: '/healthz',
  summary: 'The same as readiness, under the name of earlier versions',
  access: 'public',
  beyond: true,
  response: dataOf(z.object({ database: z.literal('up') })),
  errors: ['unavailable'],
});
