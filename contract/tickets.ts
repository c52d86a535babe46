import { z } from 'zod';
import { composed, emailField } from './account-fields';
import { hasAdvertisement, NAME_DIGITS } from './advertised-addresses';
import { call, Done, FormKey, LocaleCode } from './call';
import { robotFields } from './form-tokens';
import { DEFAULT_LOCALE } from './locales';

const NAME_MAX = 100;
const MESSAGE_MAX = 5000;

export const TicketSubject = z.enum(
  ['question', 'technical', 'billing', 'subscription', 'withdrawal', 'report', 'other'],
  'subject_required',
);
export type TicketSubject = z.infer<typeof TicketSubject>;

/** Text of a field; missing is `<field>_required`, anything but text `<field>_invalid`. */
function text(field: string) {
  return z.string({ error: ({ input }) => `${field}_${input === undefined ? 'required' : 'invalid'}` });
}

/** A name appears in a subject line and in a greeting: no control characters, and nothing to advertise. */
function name(field: string) {
  return composed(text(field), NAME_MAX, `${field}_too_long`)
    .trim()
    .min(1, `${field}_required`)
    .max(NAME_MAX, `${field}_too_long`)
    .refine(
      (value) => !/[\p{Cc}\p{Cs}]/u.test(value) && !hasAdvertisement(value, NAME_DIGITS),
      `${field}_invalid`,
    );
}

export const TicketForm = z.object({
  email: emailField(text('email')),
  firstname: name('firstname'),
  lastname: name('lastname'),
  subject: TicketSubject,
  message: text('message')
    // Browsers send line ends as CRLF but count them as one character.
    .overwrite((message) => message.replace(/\r\n?/g, '\n'))
    .trim()
    .max(4 * MESSAGE_MAX, { error: 'message_too_long', abort: true })
    // Nobody writes so many marks on one letter (Unicode UAX 15, section 13), and they take long to normalise.
    .refine((message) => !/\p{M}{31}/u.test(message), { error: 'message_invalid', abort: true })
    .normalize('NFC')
    .min(1, { error: 'message_required', abort: true })
    .min(10, 'message_too_short')
    .max(MESSAGE_MAX, 'message_too_long')
    .refine((message) => !/(?![\n\t])[\p{Cc}\p{Cs}]/u.test(message), 'message_invalid'),
});
export type TicketForm = z.infer<typeof TicketForm>;

export const createTicket = call({
  name: 'createTicket',
  method: 'POST',
  path: '/api/tickets',
  summary: 'Write to support; sending the same form again with the same `key` creates no second ticket',
  access: 'public',
  body: TicketForm.extend({
    /** Language of the confirmation. */
    locale: LocaleCode.catch(DEFAULT_LOCALE),
    /** Honeypot that people do not see: if it is filled, `person` is required (`person_required`). */
    comment: z.string().max(1000).default(''),
    /** Whether the sender was asked and said to be a person, as programs of people can fill any field. */
    person: z.boolean().default(false),
    key: FormKey.optional(),
    /** The captcha's action is `contact`. */
    ...robotFields,
  }),
  response: Done,
  status: 201,
  errors: ['invalid', 'malformed', 'too_large', 'rate_limited'],
});
