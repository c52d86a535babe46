import { createHash } from 'node:crypto';
import type { Form } from '#contract/call';
import { SLUG_EXAMPLE } from '#contract/campaign';
import type { createCode } from '#contract/codes';
import { isDynamic, refusalsOf } from '#contract/contents/contents';
import { PresetFile } from '#contract/logo-choice';
import { readLinkRules } from '#host/codes/blocks/blocking';
import { readContent } from '#host/codes/contents/contents';
import { deleteDraft, findDraft } from '#host/codes/drafts/store';
import { CREATIONS_PER_ACCOUNT, UPLOADS_PER_ACCOUNT, UPLOADS_PER_IP } from '#host/codes/limits';
import { storeLogo } from '#host/codes/logos/images';
import { findLogo } from '#host/codes/logos/store';
import { storedStyle } from '#host/codes/looks/store';
import { clientOf } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import { formKeyOf } from '#host/http/form-key';
import { consumeRateLimit } from '#host/http/rate-limit';
import { requireCampaign } from './campaign';
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
  const { subject, body, campaign = null } = form.parameters;
  const rules = await readLinkRules(db.orm, settings);
  const read = readContent(form.type, { content: form.data, subject, body }, rules);
  if ('refused' in read) {
    const { content, ...others } = read.refused;
    throw new ApiError('invalid', { fields: { ...others, ...(content && { data: content }) } });
  }
  const labels = { name: form.name ?? null, tags: form.tags ?? [], slug: SLUG_EXAMPLE };
  requireCampaign({ type: form.type, ...read.values, ...labels, campaign }, 'campaign', rules);
  const refusals = refusalsOf(form.type);
  if (refusals && !form.isPublic) throw invalidField('isPublic', refusals.hide);
  const named = form.logoPreset ? await readNamedLogo(deps, presets, accountId, form.logoPreset) : null;
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
        isCounted: form.counted || !isDynamic(form.type),
        useWhiteBackground: form.parameters.useWhiteBackground,
        logoId: uploaded ?? (named ?? draft)?.logoId ?? null,
        logoPreset: named?.logoPreset ?? null,
        style: storedStyle(form.parameters.style),
        campaign,
        formKey,
      },
    ],
    { now, logosBytes: settings.accountLogosBytes },
  );
  if (draft) await deleteDraft(db.orm, draft.id);
  return created?.id ?? '';
}

async function readNamedLogo(
  { db }: Deps,
  presets: ReadonlyMap<string, unknown>,
  accountId: string,
  name: string,
): Promise<{ logoId: string | null; logoPreset: string | null }> {
  if (presets.has(name)) return { logoId: null, logoPreset: name };
  if (PresetFile.safeParse(name).success) throw invalidField('logoPreset', 'preset_unknown');
  const own = await findLogo(db.orm, accountId, name);
  if (!own) throw invalidField('logoPreset', 'logo_unknown');
  return { logoId: own.id, logoPreset: null };
}

async function uploadLogo(deps: Deps, logo: File, { accountId, clientIp, signal }: Sender): Promise<string> {
  const now = deps.clock.now();
  await consumeRateLimit(deps.db.orm, UPLOADS_PER_ACCOUNT, accountId, now);
  await consumeRateLimit(deps.db.orm, UPLOADS_PER_IP, clientIp, now);
  return storeLogo(deps, logo, { ...clientOf(clientIp, accountId), signal });
}

/** What distinguishes a form from an edited one. Without the draft, which is dropped when its code is created. */
async function contentOfForm(form: CreationForm) {
  const { type, data, parameters, isPublic, counted, name, tags, logoPreset, logo } = form;
  const bytes = logo && Buffer.from(await logo.arrayBuffer());
  const logoHash = bytes && createHash('sha256').update(bytes).digest('hex');
  return { type, data, parameters, isPublic, ...(!counted && { counted }), name, tags, logoPreset, logoHash };
}
