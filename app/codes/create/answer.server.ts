import { parseWithZod } from '@conform-to/zod/v4';
import { data } from '@remix-run/node';
import { verbatim } from '#contract/contents/text';
import type { Draft } from '#contract/drafts';
import { SCAN_LINK_EXAMPLE } from '~/codes/contents/own-codes.server';
import { checkLook, drawnLookOf, lookOf } from '~/codes/look/look.server';
import { orNotDrawn } from '~/codes/pictures/drawing-pool.server';
import type { FormErrors, FormResult } from '~/http/form.server';
import { HostError } from '~/http/host-error.server';
import type { Scope } from '~/http/scope.server';
import { visitorCookie } from '~/http/visitor.server';
import { typedAddress } from './campaign.server';
import { findDraft, keepDraft, keepValid } from './drafts.server';
import { drawPreview, makePreview, type Preview, problemOf, problemText } from './preview.server';
import { type CreationValues, type Design, TypedForm } from './schema.server';

interface CreationActionData {
  lastResult: FormResult;
  preview: Preview | null;
  /** Draft stored at the host, with the uploaded logo. */
  draft: Pick<Draft, 'id' | 'logo'> | null;
  /** Where the code would lead with its campaign parameters. */
  finalAddress?: string | null;
  /** True when the look's controls were requested; the form then shows them. */
  isLookRequested?: boolean;
}

export interface Checked {
  kept: FormResult;
  reject(errors: FormErrors): FormResult;
}

/** Responds with the form. The browser remembers the draft that was `kept` for it. */
async function answer(
  { visitor }: Scope,
  { draft, ...shown }: CreationActionData,
  { status = 200, kept }: { status?: number; kept: Draft | null },
) {
  const actionData: CreationActionData = {
    ...shown,
    draft: draft && { id: draft.id, logo: draft.logo },
    finalAddress: typedAddress(shown.lastResult.initialValue),
  };
  const headers: HeadersInit = kept
    ? { 'Set-Cookie': await visitorCookie({ ...visitor, draft: kept.id }) }
    : {};
  return data(actionData, { status, headers });
}

/** Responds with the form as typed, not validated yet, and with the look controls. */
export async function showLook(scope: Scope, design: Design, checked: Checked) {
  const kept = needsDraft(design) ? await keepDraft(scope, design) : null;
  const shown = { lastResult: checked.kept, preview: null, draft: kept, isLookRequested: true };
  return answer(scope, shown, { kept });
}

/** Responds with the form and its preview. */
export async function showPreview(scope: Scope, design: Design, checked: Checked) {
  const { kept, made, notDrawn } = await drawDesign(scope, design);
  const lastResult = notDrawn ? checked.reject({ formErrors: [notDrawn.code] }) : checked.kept;
  return answer(scope, { lastResult, preview: made, draft: kept }, { status: notDrawn?.status ?? 200, kept });
}

/**
 * Returns the design to create if its look gets a grade; otherwise a refusal: the form with the drawing, the
 * decoders' results and suggested fixes. A code with the default look is created whatever its grade.
 */
export async function gradeLook(scope: Scope, design: Design, checked: Checked) {
  const { value, logo } = design;
  if (!lookOf(value)) return { design };
  const { kept, made, notDrawn } = await drawDesign(scope, design, { asPrinted: true });
  // Without its logo, the code would get a different grade.
  const missing = made?.drawn.logoFailed ? { code: 'unavailable', status: 503 } : notDrawn;
  if (missing || made?.examination?.scan.grade === null) {
    const lastResult = checked.reject(
      missing ? { formErrors: [missing.code] } : { fieldErrors: { moduleShape: ['look_unreadable'] } },
    );
    const shown = { lastResult, preview: made, draft: kept };
    return { refusal: await answer(scope, shown, { status: missing?.status ?? 422, kept }) };
  }
  if (!logo || !kept) return { design };
  // The host already has the file.
  return {
    design: { value: { ...value, draft: kept.id, removeLogo: false, logoPreset: undefined }, logo: null },
  };
}

interface Refusal {
  lastResult: FormResult;
  status: number;
  /** Values to draw a preview from, without the refused logo. */
  plain?: CreationValues | undefined;
}

/**
 * Responds to a refused form. A full page load also gets the logo, stored in a draft, and the drawing; a
 * client with scripts still has both.
 */
export async function refuse(
  scope: Scope,
  { form, logo }: { form: FormData; logo: File | null },
  { lastResult, status, plain }: Refusal,
) {
  const entered = scope.isDataRequest ? null : enteredOf(form);
  const kept = entered && logo ? await keepChosen(scope, { value: entered, logo }) : null;
  if (kept) delete scope.lostFile;
  const id = String(form.get('draft') ?? '');
  const isKnown = id !== '' && id === scope.visitor.draft;
  const draft = kept ?? (isKnown ? await findDraft(scope, id) : null);
  const isPlainShown = plain && (entered !== null || plain.intent === 'preview');
  const problem = problemIn(scope, lastResult);
  const preview = isPlainShown
    ? await plainPreview(scope, plain, problem)
    : entered && (await enteredPreview(scope, entered, draft, problem));
  return answer(scope, { lastResult, preview, draft }, { status, kept });
}

/**
 * Responds with all input when the host is unavailable. With scripts, the file stays chosen; after a full
 * page load, only a file stored at the host can be referenced.
 */
export async function respondUnavailable(scope: Scope, design: Design, { reject }: Checked) {
  const { isDataRequest, visitor } = scope;
  const { value, logo } = design;
  const isLogoLost = logo !== null && !isDataRequest;
  const kept = isLogoLost ? await keepDraft(scope, design).catch(() => null) : null;
  const known = value.draft && value.draft === visitor.draft ? { id: value.draft, logo: null } : null;
  const lastResult = reject({
    formErrors: ['unavailable'],
    ...(isLogoLost && !kept && { fieldErrors: { logo: ['logo_again'] } }),
  });
  const draft = kept ?? (known && (await findDraft(scope, known.id).catch(() => known)));
  // Waiting for the host has used up the time for a preview.
  return answer(scope, { lastResult, preview: null, draft }, { status: 503, kept });
}

/** The first error about the design itself; undefined if only its name or tags, or the form, were refused. */
function problemIn(scope: Scope, { error }: FormResult): string | undefined {
  const [code] = Object.entries(error ?? {}).flatMap(([field, codes]) =>
    ['', 'name', 'tags'].includes(field) ? [] : (codes ?? []),
  );
  return code === undefined ? undefined : problemText(scope, code);
}

/** The form as typed; null if it contains something that cannot even be stored. */
function enteredOf(form: FormData): CreationValues | null {
  const submission = parseWithZod(form, { schema: TypedForm });
  return submission.status === 'success' ? submission.value : null;
}

/** Stores the logo in a draft, because no page can refill a file input; null if the host refuses it. */
async function keepChosen(scope: Scope, design: Design): Promise<Draft | null> {
  try {
    return await keepDraft(scope, design);
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    return null;
  }
}

/** Preview of a design without its logo, for a logo that was refused. */
async function plainPreview(scope: Scope, value: CreationValues, problem?: string): Promise<Preview | null> {
  const made = await enteredPreview(scope, { ...value, logoPreset: undefined }, null, problem);
  return made && { ...made, drawn: { ...made.drawn, logoFailed: true } };
}

/**
 * Preview of a design as typed, even if the form was refused; null if nothing can be drawn, or if the look is
 * invalid: its fields then show why and how to fix it. With a `problem`, it is drawn but not examined.
 */
async function enteredPreview(
  scope: Scope,
  value: CreationValues,
  draft: CreationActionData['draft'],
  problem = problemOf(scope, value),
): Promise<Preview | null> {
  if (checkLook(value).length > 0) return null;
  const upload = draft?.logo?.kind === 'upload' && !value.removeLogo ? draft.id : undefined;
  const drawn = { ...value, style: drawnLookOf(value) };
  const choice = { preset: value.logoPreset, draft: upload };
  if (problem === undefined) return (await orNotDrawn(makePreview(scope, drawn, choice))).made;
  const picture = await drawPreview(scope, drawn, choice);
  return picture && { drawn: picture, problem };
}

/**
 * Draws a design after storing its logo in a draft at the host. Content that fits no symbol is not drawn;
 * with `asPrinted`, a link of the same length as the future scan link is drawn in its place.
 */
async function drawDesign(scope: Scope, design: Design, { asPrinted = false } = {}) {
  const { value, logo } = design;
  const kept = needsDraft(design) ? await keepValid(scope, design) : null;
  const choice = {
    preset: logo ? undefined : value.logoPreset,
    draft: kept?.logo?.kind === 'upload' ? kept.id : undefined,
  };
  const shown = { ...value, style: lookOf(value) };
  const printed = { ...shown, ...verbatim(SCAN_LINK_EXAMPLE) };
  const drawing = makePreview(scope, shown, choice).then(
    (preview) => preview ?? (asPrinted ? makePreview(scope, printed, choice) : null),
  );
  return { ...(await orNotDrawn(drawing)), kept };
}

function needsDraft({ value, logo }: Design): boolean {
  return logo !== null || value.draft !== undefined;
}
