import { z } from 'zod';
import { call, dataOf } from './call';

/** Token of the captcha, if one is configured. */
export const CaptchaField = z.string('captcha_failed').max(10_000, 'captcha_failed').optional();

/**
 * Replaces the captcha token when no script could request one: from `issueFormToken`, at least 3 seconds and
 * at most 6 hours old, for at most 5 posts. Its limits by IP and e-mail address are tighter than those with a captcha.
 * Errors on `formToken`: `form_too_fast`, `form_expired`.
 */
export const FormTokenField = z.string('form_expired').max(200, 'form_expired').optional();

/** Proof that a form was not sent by a robot; the captcha's token takes precedence. */
export const robotFields = { captcha: CaptchaField, formToken: FormTokenField };

export const issueFormToken = call({
  name: 'issueFormToken',
  method: 'GET',
  path: '/api/form-token',
  summary: 'A token that proves how old a form is, for browsers in which the captcha does not run',
  access: 'public',
  response: dataOf(z.object({ token: z.string() })),
  errors: [],
});
