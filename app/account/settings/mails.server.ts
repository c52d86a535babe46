import { z } from 'zod';
import { changeMailSettings, getMailSettings, MailSettings } from '#contract/mail-settings';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, invalid, readForm, withFormErrors } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import type { UserScope } from '~/http/scope.server';

const switched = z.literal('on').optional();
const MailForm = z.object({
  figures: MailSettings.shape.figures,
  firstScan: switched,
  unusual: switched,
  destinationFailing: switched,
});

export async function getMails(scope: UserScope) {
  const { data } = await callHost(scope, getMailSettings);
  return data;
}

export async function handleMails(scope: UserScope) {
  const fields = Object.keys(MailForm.shape);
  const checked = checkForm(scope, await readForm(scope, fields), MailForm);
  if (!checked.ok) return invalid(checked.lastResult);
  const { figures, firstScan, unusual, destinationFailing } = checked.value;
  const body = {
    figures,
    firstScan: firstScan === 'on',
    unusual: unusual === 'on',
    destinationFailing: destinationFailing === 'on',
  };
  return withFormErrors(checked.reject, fields, async () => {
    const { status, message } = await callHost(scope, changeMailSettings, { body });
    return redirectWithFlash('/user/settings/mails', { type: status, key: message });
  });
}
