import { serve } from '@hono/node-server';
import { Hono } from 'hono';

// The baseline: the same framework and the same response, without lookup or counting.
const app = new Hono();
app.get('/r/:code', (context) =>
  context.redirect(`https://destination.example/${context.req.param('code')}`, 302),
);
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.send?.({ port }));
