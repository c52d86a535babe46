import { expect, type Factories } from './fixtures';

const ARRIVAL_TIMEOUT_MS = 15_000;

/**
 * Path and query of the newest link mailed to an address. Polls for it, because whatever triggers the mail,
 * such as a payment webhook, may arrive after the page that announces the mail.
 */
export async function mailedPath(factories: Factories, email: string, page = '/'): Promise<string> {
  let path = '';
  const arrived = async () => {
    const links = (await factories.mailsTo(email)).flatMap(({ link }) => link ?? []);
    const url = links.map((link) => new URL(link)).find(({ pathname }) => pathname.startsWith(page));
    path = url ? url.pathname + url.search : '';
    return path;
  };
  const message = `a link to ${page} mailed to ${email}`;
  await expect.poll(arrived, { message, timeout: ARRIVAL_TIMEOUT_MS }).not.toBe('');
  return path;
}
