import { send } from '../../tests/support/json-calls';
import type { Account } from './fixtures';
import { host } from './host';
import type { Visited } from './visited';

const PAGE = '/user/settings/webhooks';

/** The pages of webhooks, which belong to an account with one that was sent a test. */
export async function webhookPages(
  { token, password }: Account,
  refused: NonNullable<Visited['act']>,
): Promise<Visited[]> {
  const post = (path: string, body: object) => send(host, 'POST', `/api/webhooks${path}`, body, { token });
  const made = await post('', {
    url: 'https://hooks.example.com/quadrille/a-long-path-of-an-address-without-any-break',
    description: 'Stock system',
    events: ['code.created', 'visits.hourly'],
    tag: 'Menu',
    currentPassword: password,
  });
  const { id } = made.body.data as { id: string };
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
