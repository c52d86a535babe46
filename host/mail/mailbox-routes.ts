import type { Context } from 'hono';
import { Id } from '#contract/call';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { isLoopbackCall, requireSameOriginReader } from '#host/http/request-origin';
import { deliverDueMails } from './delivery';
import { linksIn, mailboxPage, mailPage, PAGE_POLICY } from './mailbox-pages';
import { findKeptMail, listKeptMails } from './store';

const MAX_LISTED = 200;
/** A mail has its own inline styles; nothing else in it may run or load. */
const MAIL_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-popups";

/** Mails that are kept instead of sent, for callers on this machine; anyone else gets a 404. */
export function mountMailbox({ app }: Router, deps: Deps): void {
  if (deps.mail.kind !== 'kept') return;
  const { orm } = deps.db;

  app.get('/mailbox', async (context) => {
    await openMailbox(context);
    return context.html(mailboxPage(await listKeptMails(orm, MAX_LISTED)), 200, policy(PAGE_POLICY));
  });

  app.get('/mailbox.json', async (context) => {
    await openMailbox(context);
    const mails = await listKeptMails(orm, MAX_LISTED);
    return context.json({
      data: mails.map(({ id, to, replyTo, locale, template, subject, text, createdAt, attachments }) => ({
        id,
        to,
        replyTo,
        locale,
        template,
        subject,
        text,
        links: linksIn(text ?? ''),
        attachments: attachments.map(({ filename, contentType }) => ({ filename, contentType })),
        createdAt: createdAt.toISOString(),
      })),
    });
  });

  app.get('/mailbox/:id', async (context) =>
    context.html(mailPage(await getMail(context)), 200, policy(PAGE_POLICY)),
  );

  app.get('/mailbox/:id/html', async (context) => {
    const { html } = await getMail(context);
    return context.html(html ?? '', 200, policy(MAIL_POLICY));
  });

  app.get('/mailbox/:id/attachments/:place', async (context) => {
    const { attachments } = await getMail(context);
    const attachment = attachments[Number(context.req.param('place'))];
    if (!attachment) throw new ApiError('not_found');
    const name = encodeURIComponent(attachment.filename);
    return context.body(Buffer.from(attachment.content, 'base64'), 200, {
      'Content-Type': attachment.contentType,
      'Content-Disposition': `attachment; filename*=UTF-8''${name}`,
    });
  });

  /** Runs the delivery first, so that mails queued a moment ago are shown. */
  async function openMailbox(context: Context): Promise<void> {
    if (!isLoopbackCall(context)) throw new ApiError('not_found');
    requireSameOriginReader(context);
    await deliverDueMails(deps, deps.clock.now());
  }

  async function getMail(context: Context) {
    await openMailbox(context);
    const id = Id.safeParse(context.req.param('id'));
    const mail = id.success ? await findKeptMail(orm, id.data) : null;
    if (!mail) throw new ApiError('not_found');
    return mail;
  }
}

function policy(content: string): Record<string, string> {
  return { 'Content-Security-Policy': content };
}
