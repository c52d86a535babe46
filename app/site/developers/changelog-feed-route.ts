import { changelogFeed } from './changelog.server';

export async function loader() {
  return new Response(changelogFeed(), {
    headers: {
      'Content-Type': 'application/atom+xml; charset=utf-8',
      'Cache-Control': 'public, max-age=3600',
    },
  });
}
