import { z } from 'zod';
import { call, dataOf } from './call';

/** Token of a captcha, where one is set up. */
export const CaptchaField = z.string('captcha_failed').max(10_000, 'captcha_failed').optional();

/**
 * Stands in for the token of a captcha where no script could ask for one: from `issueFormToken`, at least 3 seconds and
 * at most 6 hours old, for at most 5 posts. Its limits by address and e-mail are tighter than those with a captcha.
 * Errors on `formToken`: `form_too_fast`, `form_expired`.
 */
export const FormTokenField = z.string('form_expired').max(200, 'form_expired').optional();

/** What a form sends to show that no robot is at work; a captcha's token counts where both are there. */
export const robotFields = { captcha: CaptchaField, formToken: FormTokenField };

export const issueFormToken = call({
  name: 'issueFormToken',
  method: 'GET',
  path: '/api/form-token',
  summary: 'A token that tells how old a form is, for pages whose captcha may find no scripts',
  access: 'public',
  beyond: true,
  response: dataOf(z.object({ token: z.string() })),
  errors: [],
});
