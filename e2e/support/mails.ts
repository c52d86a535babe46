import { expect, type Factories } from './fixtures';

const ARRIVES_WITHIN_MS = 15_000;

/**
 * Path and query of the newest link mailed to an address. Waits for it, as the cause of a mail, such as the webhook of a
 * payment, may arrive later than the page that announces the mail.
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
  await expect.poll(arrived, { message, timeout: ARRIVES_WITHIN_MS }).not.toBe('');
  return path;
}
