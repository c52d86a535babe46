import { env } from '~/http/env.server';

export async function loader() {
  const lines = ['User-agent: *', 'Disallow: /user/', '', `Sitemap: ${env.PUBLIC_URL}/sitemap.xml`, ''];
  return new Response(lines.join('\n'), {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'public, max-age=86400' },
  });
}
