import { z } from 'zod';
import { CAMPAIGN_INPUTS } from '#contract/campaign';
import { type Code, copyCode, updateCode, Visibility } from '#contract/codes';
import {
  checkContent,
  compose,
  type FieldName,
  hasField,
  mainFieldOf,
  parseStored,
  FIELDS as RULES,
  STORED_UNITS,
} from '#contract/contents/contents';
import { typedShape } from '#contract/contents/shapes';
import { checkDestinations } from '#contract/destination-checks';
import { NAME_LIMIT } from '#contract/labels';
import { LogoChoice } from '#contract/logo-choice';
import { StyleSchema } from '#contract/styles';
import { CONTENT_FORMS } from '~/codes/contents/content-forms';
import { opensOwnCode } from '~/codes/contents/own-codes.server';
import { checkLabels, LABEL_FIELDS, reportProblems } from '~/codes/create/field-checks.server';
import { findLookRefusal } from '~/codes/look/code-look.server';
import { logoOfChoice, readLogo } from '~/codes/look/logo-choice.server';
import { readStyle } from '~/codes/look/style-picture.server';
import {
  restoredPart,
  restoreForm,
  TIMING_FIELDS,
  timingForms,
  timingNotice,
} from '~/codes/rules/timing.server';
import { type NewNotice, redirectToSubscription, redirectWithFlash } from '~/http/flash.server';
import { checkForm, handleForm, invalid, readForm, withFormErrors } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { UserScope } from '~/http/scope.server';
import { i18nOf } from '~/i18n/messages.server';
import { CampaignForm, RestoreCampaignForm, showAddress } from './campaign.server';
import { getCode, shortContent } from './codes.server';

const FIELDS = [
  'intent',
  ...Object.keys(RULES),
  'visibility',
  'name',
  'tags',
  'archived',
  'counted',
  'watched',
  'style',
  'logo',
  'key',
  'campaign',
  ...CAMPAIGN_INPUTS,
  ...TIMING_FIELDS,
];

/** `content` may be what was stored before, of whatever type. */
const ContentForm = z.object({
  ...typedShape((units) => z.string().max(units, 'text_too_long').default('')),
  content: z.string().max(STORED_UNITS, 'text_too_long').default(''),
});

const VisibilityForm = z.object({ visibility: Visibility });

const LabelForm = z
  .object(LABEL_FIELDS)
  .superRefine(reportProblems(checkLabels))
  .transform(({ name, tags }) => ({ name, tags: [tags] }));

const ArchiveForm = z.object({ archived: z.enum(['true', 'false']).transform((value) => value === 'true') });

/** Counting again has a page of its own, which asks first. */
const CountingForm = z.object({ counted: z.literal('false').transform(() => false) });

const WatchingForm = z.object({ watched: z.enum(['true', 'false']).transform((value) => value === 'true') });

/** A look as stored in the history: JSON, or an empty string for the default look. */
const RestoreLookForm = z.object({
  style: z
    .string()
    .default('')
    .transform((text, context) => {
      const style = text === '' ? null : readStyle(text);
      if (style || text === '') return style;
      context.addIssue({ code: 'custom', message: 'style_version' });
      return z.NEVER;
    }),
});

/** A logo as stored in the history. */
const RestoreLogoForm = z.object({
  logo: z.string().transform((text, context) => {
    const logo = readLogo(text);
    if (logo) return logo;
    context.addIssue({ code: 'custom', message: 'logo_unknown' });
    return z.NEVER;
  }),
});

/** Applies the posted form: content, visibility, name and tags, archiving, or an earlier look or logo. */
export async function handleCodeEdit(scope: UserScope, id: string | undefined) {
  const form = await readForm(scope, FIELDS);
  const { code, routing } = await getCode(scope, id);
  const intent = String(form.get('intent'));
  if (intent === 'duplicate') return duplicate(scope, code, String(form.get('key') ?? '').slice(0, 100));
  if (intent === 'check') return checkNow(scope, code, form);
  if (intent === 'campaign-preview') return showAddress(scope, form, code);
  const schema = intent === 'bring-back' ? restoreFormFor(form) : schemaFor(intent, code, routing);
  const checked = checkForm(scope, form, schema);
  if (!checked.ok) return invalid(checked.lastResult);
  const { style, logo }: z.input<typeof updateCode.body> = checked.value;
  const isRestored = style || logo;
  const design = {
    ...code,
    ...(style && { style: StyleSchema.parse(style) }),
    ...(logo && logoOfChoice(LogoChoice.parse(logo))),
  };
  const refusal = isRestored ? await findLookRefusal(scope, design) : null;
  if (refusal) {
    const reason = refusal.picture ? 'earlier_look_unreadable' : refusal.reason;
    return invalid(checked.reject({ formErrors: [reason] }), refusal.status);
  }
  return withFormErrors(checked.reject, FIELDS, async () => {
    const { data: changed } = await callHost(scope, updateCode, {
      params: { id: code.id },
      body: checked.value,
    });
    return redirectWithFlash(`/user/qrcodes/${code.id}`, noticeOf(checked.value, code, changed));
  });
}

/** Has the destinations of a code asked at once. */
async function checkNow(scope: UserScope, { id }: Code, form: FormData) {
  return handleForm(scope, form, z.object({ intent: z.string() }), FIELDS, async () => {
    await callHost(scope, checkDestinations, { params: { id } });
    return redirectWithFlash(`/user/qrcodes/${id}#watching`, {
      type: 'success',
      key: 'code_check_requested',
    });
  });
}

/** Counts the visits of a code again, once its owner has confirmed it. */
export async function countAgain(scope: UserScope, id: string | undefined): Promise<Response> {
  const { code } = await getCode(scope, id);
  try {
    await callHost(scope, updateCode, { params: { id: code.id }, body: { counted: true } });
  } catch (thrown) {
    if (!(thrown instanceof HostError) || thrown.code !== 'subscription_required') throw thrown;
    return redirectToSubscription();
  }
  return redirectWithFlash(`/user/qrcodes/${code.id}`, { type: 'success', key: 'code_counted' });
}

/** Makes another code like this one, and opens its page. */
async function duplicate(scope: UserScope, code: Code, key: string): Promise<Response> {
  const t = i18nOf(scope.locale).getFixedT(null, 'codes');
  const name = code.name === null ? null : t('list.copyName', { name: code.name });
  const body = { ...(name && [...name].length <= NAME_LIMIT && { name }), ...(key && { key }) };
  try {
    const { data: copy } = await callHost(scope, copyCode, { params: { id: code.id }, body });
    return redirectWithFlash(`/user/qrcodes/${copy.id}`, { type: 'success', key: 'code_copied' });
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    if (thrown.code === 'subscription_required') return redirectToSubscription();
    const notice = { type: 'error', key: 'code_not_copied', persistent: true } as const;
    return redirectWithFlash(`/user/qrcodes/${code.id}`, notice);
  }
}

/** Says what the change did. */
function noticeOf(change: z.input<typeof updateCode.body>, before: Code, after: Code): NewNotice {
  const type = 'success';
  const notice = timingNotice(change);
  if (notice) return notice;
  if (change.visibility) return { type, key: `code_${change.visibility}` };
  if (change.archived !== undefined)
    return { type, key: change.archived ? 'code_archived' : 'code_unarchived' };
  if (change.counted !== undefined) return { type, key: change.counted ? 'code_counted' : 'code_uncounted' };
  if (change.watched !== undefined) return { type, key: change.watched ? 'code_watched' : 'code_unwatched' };
  if (change.campaign !== undefined)
    return { type, key: change.campaign ? 'code_campaign_saved' : 'code_campaign_removed' };
  if (change.style !== undefined || change.logo) return { type, key: 'code_look_changed' };
  if (change.content === undefined) {
    const isRenamed = after.name !== null && after.name !== before.name;
    return isRenamed
      ? { type, key: 'code_renamed', values: { name: after.name ?? '' } }
      : { type, key: 'code_labels_saved' };
  }
  const key = CONTENT_FORMS[after.type].Lead ? 'code_leads_to' : 'code_contains';
  return { type, key, values: { content: shortContent(after) } };
}

function schemaFor(intent: string, code: Code, routing: Parameters<typeof timingForms>[0]) {
  // A map, because the names may be anything, also that of a property every object has.
  const others = new Map<string, z.ZodType<z.input<typeof updateCode.body>>>([
    ['visibility', VisibilityForm],
    ['labels', LabelForm],
    ['archive', ArchiveForm],
    ['counting', CountingForm],
    ['watching', WatchingForm],
    ['campaign', CampaignForm],
    ...timingForms(routing),
  ]);
  return others.get(intent) ?? contentFormFor(code);
}

function restoreFormFor(form: FormData): z.ZodType<z.input<typeof updateCode.body>> {
  const part = restoredPart(form);
  if (part) return restoreForm(part);
  if (form.has('campaign')) return RestoreCampaignForm;
  return form.has('logo') ? RestoreLogoForm : RestoreLookForm;
}

function contentFormFor({ type, content: saved }: Code) {
  const isWhole = hasField(type, 'content');
  const isStored = ({ content }: { content: string }) => !isWhole && content !== '';
  return ContentForm.superRefine(
    reportProblems((fields) =>
      // The host checks a stored content, which has no fields yet.
      isStored(fields)
        ? []
        : checkContent({ type, ...fields }, opensOwnCode).filter(
            // A value saved earlier stays allowed even if the rules have changed since.
            ({ field }) => field !== 'content' || fields.content !== saved,
          ),
    ),
  ).transform((fields) => {
    const { content, subject, body } = fields;
    return isWhole || isStored(fields) ? { content, subject, body } : compose({ type, ...fields });
  });
}

/** The form that changes the content of a code: its first field, and what all fields have now. */
export function contentFieldsOf({ type, content, subject, body }: Code): {
  main: FieldName;
  values: Partial<Record<FieldName, string>>;
} {
  const parsed = parseStored(type, { content, subject, body });
  const entries = Object.entries('fields' in parsed ? parsed.fields : {});
  const texts = entries.filter(([, value]) => typeof value === 'string');
  return { main: mainFieldOf(type), values: Object.fromEntries(texts) };
}
