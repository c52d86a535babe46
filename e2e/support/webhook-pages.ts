import type { Account } from './fixtures';
import { HOST_PORT } from './ports';
import type { Visited } from './visited';

const PAGE = '/user/settings/webhooks';

/** The pages of webhooks, which belong to an account with one that was sent a test. */
export async function webhookPages(
  { token, password }: Account,
  refused: NonNullable<Visited['act']>,
): Promise<Visited[]> {
  const post = (path: string, body: object) =>
    fetch(`http://127.0.0.1:${HOST_PORT}/api/webhooks${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const made = await post('', {
    url: 'https://hooks.example.com/quadrille/a-long-path-of-an-address-without-any-break',
    description: 'Stock system',
    events: ['code.created', 'visits.hourly'],
    tag: 'Menu',
    currentPassword: password,
  });
  const { id } = (await made.json()).data;
  await post(`/${id}/test`, {});
  await post(`/${id}/rotate`, { currentPassword: password });
  return [
    { name: 'webhooks', path: PAGE, signedIn: true },
    { name: 'new webhook', path: `${PAGE}/new`, signedIn: true },
    { name: 'new webhook, refused', path: `${PAGE}/new`, signedIn: true, act: refused },
    { name: 'webhook', path: `${PAGE}/${id}`, signedIn: true },
    { name: 'change a webhook', path: `${PAGE}/${id}/edit`, signedIn: true },
    { name: 'secret of a webhook', path: `${PAGE}/${id}/secret`, signedIn: true },
    { name: 'delete a webhook', path: `${PAGE}/${id}/delete`, signedIn: true },
  ];
}
