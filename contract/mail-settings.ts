import { z } from 'zod';
import { call, dataOf, doneAs } from './call';

export const FIGURES_EVERY = ['off', 'week', 'month'] as const;

/** Which mails of insight an account gets. */
export const MailSettings = z.object({
  /** The figures of the week or the month before. */
  figures: z.enum(FIGURES_EVERY, 'figures_unknown'),
  /** The first counted visit of a code. */
  firstScan: z.boolean(),
  /** An unusual fall or rise of a code's visits. */
  unusual: z.boolean(),
  /** A destination that cannot be reached. */
  destinationFailing: z.boolean(),
});
export type MailSettings = z.infer<typeof MailSettings>;

const MAIL_KINDS = [
  'figures',
  'firstScan',
  'unusual',
  'destinationFailing',
] as const satisfies (keyof MailSettings)[];
export const MailKind = z.enum(MAIL_KINDS);
export type MailKind = z.infer<typeof MailKind>;

export const getMailSettings = call({
  name: 'getMailSettings',
  method: 'GET',
  path: '/api/account/mails',
  summary: 'Which mails about its codes the account gets',
  access: 'user',
  response: dataOf(MailSettings),
  errors: ['unauthenticated'],
});

export const changeMailSettings = call({
  name: 'changeMailSettings',
  method: 'PUT',
  path: '/api/account/mails',
  summary: 'Choose which mails about its codes the account gets',
  access: 'user',
  body: MailSettings,
  response: doneAs('mail_settings_changed'),
  errors: ['unauthenticated', 'invalid'],
});

/** From the link in a mail: names one account and one kind, signed, without an end. */
const MailOffToken = z.string('token_unknown').max(200, 'token_unknown');

export const readMailOffLink = call({
  name: 'readMailOffLink',
  method: 'POST',
  path: '/api/mails/off/check',
  summary: 'Which mails a link switches off; nothing is changed',
  access: 'public',
  body: z.object({ token: MailOffToken }),
  response: dataOf(z.object({ kind: MailKind, isOn: z.boolean() })),
  errors: ['invalid', 'rate_limited'],
});

export const switchMailOff = call({
  name: 'switchMailOff',
  method: 'POST',
  path: '/api/mails/off',
  summary: 'Switch mails of one kind off, by the link in one of them; done again, it changes nothing',
  access: 'public',
  body: z.object({ token: MailOffToken }),
  response: doneAs('mails_switched_off'),
  errors: ['invalid', 'rate_limited'],
});
