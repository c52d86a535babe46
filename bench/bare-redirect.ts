import { serve } from '@hono/node-server';
import { Hono } from 'hono';

// The yardstick: the same framework and the same answer, with nothing looked up and nothing counted.
const app = new Hono();
app.get('/r/:code', (context) =>
  context.redirect(`https://destination.example/${context.req.param('code')}`, 302),
);
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.send?.({ port }));
