import { z } from 'zod';
import { changeMailSettings, getMailSettings, MailSettings } from '#contract/mail-settings';
import { redirectWithFlash } from '~/http/flash.server';
import { handleForm, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import type { UserScope } from '~/http/scope.server';

const box = z.boolean().default(false);
const MailForm = z.object({
  figures: MailSettings.shape.figures,
  firstScan: box,
  unusual: box,
  destinationFailing: box,
});

export async function getMails(scope: UserScope) {
  const { data } = await callHost(scope, getMailSettings);
  return data;
}

export async function handleMails(scope: UserScope) {
  const fields = Object.keys(MailForm.shape);
  const form = await readForm(scope, fields);
  return handleForm(scope, form, MailForm, fields, async (body) => {
    const { status, message } = await callHost(scope, changeMailSettings, { body });
    return redirectWithFlash('/user/settings/mails', { type: status, key: message });
  });
}
