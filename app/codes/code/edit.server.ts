import { z } from 'zod';
import { type Code, updateCode, Visibility } from '#contract/codes';
import { checkContent, FIELDS as RULES } from '#contract/contents/contents';
import { LogoChoice } from '#contract/logo-choice';
import { StyleSchema } from '#contract/styles';
import { CONTENT_FORMS } from '~/codes/contents/content-forms';
import { opensOwnCode } from '~/codes/contents/own-codes.server';
import { checkLabels, LABEL_FIELDS, reportProblems } from '~/codes/create/field-checks.server';
import { findLookRefusal } from '~/codes/look/code-look.server';
import { logoOfChoice, readLogo } from '~/codes/look/logo-choice.server';
import { readStyle } from '~/codes/look/style-picture.server';
import { type NewNotice, redirectWithFlash } from '~/http/flash.server';
import { checkForm, invalid, readForm, withFormErrors } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import type { UserScope } from '~/http/scope.server';
import { getCode, shortContent } from './codes.server';

const FIELDS = [
  'intent',
  'content',
  'subject',
  'body',
  'visibility',
  'name',
  'tags',
  'archived',
  'style',
  'logo',
];

const text = (name: 'content' | 'subject' | 'body') =>
  z.string().max(RULES[name].units, 'text_too_long').default('');

const ContentForm = z.object({ content: text('content'), subject: text('subject'), body: text('body') });

const VisibilityForm = z.object({ visibility: Visibility });

const LabelForm = z
  .object(LABEL_FIELDS)
  .superRefine(reportProblems(checkLabels))
  .transform(({ name, tags }) => ({ name, tags: [tags] }));

const ArchiveForm = z.object({ archived: z.enum(['true', 'false']).transform((value) => value === 'true') });

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
  const { code } = await getCode(scope, id);
  const intent = String(form.get('intent'));
  const schema = schemaFor(intent === 'bring-back' && form.has('logo') ? 'bring-back-logo' : intent, code);
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

/** Says what the change did. */
function noticeOf(change: z.input<typeof updateCode.body>, before: Code, after: Code): NewNotice {
  const type = 'success';
  if (change.visibility) return { type, key: `code_${change.visibility}` };
  if (change.archived !== undefined)
    return { type, key: change.archived ? 'code_archived' : 'code_unarchived' };
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

function schemaFor(intent: string, code: Code) {
  // A map, because the names may be anything, also that of a property every object has.
  const others = new Map<string, z.ZodType<z.input<typeof updateCode.body>>>([
    ['visibility', VisibilityForm],
    ['labels', LabelForm],
    ['archive', ArchiveForm],
    ['bring-back', RestoreLookForm],
    ['bring-back-logo', RestoreLogoForm],
  ]);
  return others.get(intent) ?? contentFormFor(code);
}

function contentFormFor({ type, content }: Code) {
  return ContentForm.superRefine(
    reportProblems((fields) =>
      checkContent({ type, ...fields }, opensOwnCode).filter(
        // A value saved earlier stays allowed even if the rules have changed since.
        ({ field }) => field !== 'content' || fields.content !== content,
      ),
    ),
  );
}
