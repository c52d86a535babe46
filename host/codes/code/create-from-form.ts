import { createHash } from 'node:crypto';
import type { Form } from '#contract/call';
import type { createCode } from '#contract/codes';
import { refusalsOf } from '#contract/contents/contents';
import { readLinkRules } from '#host/codes/blocks/blocking';
import { readContent } from '#host/codes/contents/contents';
import { deleteDraft, findDraft } from '#host/codes/drafts/store';
import { CREATIONS_PER_ACCOUNT, UPLOADS_PER_ACCOUNT, UPLOADS_PER_IP } from '#host/codes/limits';
import { storeLogo } from '#host/codes/logos/images';
import { storedStyle } from '#host/codes/looks/store';
import { clientOf } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import { formKeyOf } from '#host/http/form-key';
import { consumeRateLimit } from '#host/http/rate-limit';
import { createCodes } from './create';
import { findCodeByKey } from './store';

type CreationForm = Form<typeof createCode>;

interface Sender {
  accountId: string;
  clientIp: string;
  signal: AbortSignal;
}

/** Creates a code as the form says; returns its id, which is that of the first one if the form is posted again. */
export async function createFromForm(
  deps: Deps,
  presets: ReadonlyMap<string, unknown>,
  form: CreationForm,
  sender: Sender,
): Promise<string> {
  const { db, clock, settings } = deps;
  const { accountId } = sender;
  const now = clock.now();
  const { subject, body } = form.parameters;
  const read = readContent(
    form.type,
    { content: form.data, subject, body },
    await readLinkRules(db.orm, settings),
  );
  if ('refused' in read) {
    const { content, ...others } = read.refused;
    throw new ApiError('invalid', { fields: { ...others, ...(content && { data: content }) } });
  }
  const refusals = refusalsOf(form.type);
  if (refusals && !form.isPublic) throw invalidField('isPublic', refusals.hide);
  if (form.logoPreset && !presets.has(form.logoPreset)) throw invalidField('logoPreset', 'preset_unknown');
  // The draft is read before the code: if it has just become a code, that code is found.
  const draft = form.draft && form.visitor ? await findDraft(db.orm, form.draft, form.visitor, now) : null;
  // Before the limits and the logo: a form that is posted again finds its first code and has no side effects.
  const formKey = form.key ? formKeyOf(form.key, await contentOfForm(form)) : null;
  const earlier = formKey && (await findCodeByKey(db.orm, accountId, formKey));
  if (earlier) return earlier;
  if (form.needsDraftLogo && !draft?.logoId && !form.logo && !form.logoPreset)
    throw invalidField('logo', 'draft_unknown');
  await consumeRateLimit(db.orm, CREATIONS_PER_ACCOUNT, accountId, now);
  const uploaded = form.logo ? await uploadLogo(deps, form.logo, sender) : null;
  const [created] = await createCodes(
    db.orm,
    deps,
    accountId,
    [
      {
        type: form.type,
        ...read.values,
        name: form.name ?? null,
        tags: form.tags ?? [],
        visibility: form.isPublic ? 'public' : 'private',
        useWhiteBackground: form.parameters.useWhiteBackground,
        logoId: uploaded ?? (form.logoPreset ? null : (draft?.logoId ?? null)),
        logoPreset: form.logoPreset ?? null,
        style: storedStyle(form.parameters.style),
        formKey,
      },
    ],
    { now, logosBytes: settings.accountLogosBytes },
  );
  if (draft) await deleteDraft(db.orm, draft.id);
  return created?.id ?? '';
}

async function uploadLogo(deps: Deps, logo: File, { accountId, clientIp, signal }: Sender): Promise<string> {
  const now = deps.clock.now();
  await consumeRateLimit(deps.db.orm, UPLOADS_PER_ACCOUNT, accountId, now);
  await consumeRateLimit(deps.db.orm, UPLOADS_PER_IP, clientIp, now);
  return storeLogo(deps, logo, { ...clientOf(clientIp, accountId), signal });
}

/** What distinguishes a form from an edited one. Without the draft, which is dropped when its code is created. */
async function contentOfForm(form: CreationForm) {
  const { type, data, parameters, isPublic, name, tags, logoPreset, logo } = form;
  const bytes = logo && Buffer.from(await logo.arrayBuffer());
  const logoHash = bytes && createHash('sha256').update(bytes).digest('hex');
  return { type, data, parameters, isPublic, name, tags, logoPreset, logoHash };
}
