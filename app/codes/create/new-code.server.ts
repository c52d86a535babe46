import { redirect } from '@remix-run/node';
import type { ResponseOf } from '#contract/call';
import { createCode } from '#contract/codes';
import { compose, isRedirected } from '#contract/contents/contents';
import { lookOf } from '~/codes/look/look.server';
import { redirectWithFlash } from '~/http/flash.server';
import { endSession } from '~/http/guards.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { interruptedPostCookie } from '~/http/interrupted-post.server';
import { isSignedIn, type Scope } from '~/http/scope.server';
import { type Visitor, visitorCookie, withVisitorCookie } from '~/http/visitor.server';
import { campaignOf } from './campaign.server';
import { keepDraft, keepValid } from './drafts.server';
import type { Design } from './schema.server';

/**
 * Creates the code and redirects to the list. Without a session or a subscription, the design is kept until there is
 * one. `key` makes a form that is sent twice take effect once.
 */
export async function createOrKeep(scope: Scope, design: Design, key: string | undefined): Promise<Response> {
  if (scope.session === null) return keepAndGo(scope, design, '/subscribe/basic_monthly');
  if (!isSignedIn(scope)) return redirectToLogin(scope, design);
  let made: ResponseOf<typeof createCode>;
  try {
    made = await callHost(scope, createCode, { form: codeForm(design, key, scope.visitor) });
  } catch (thrown) {
    if (thrown instanceof Response) return redirectToLogin(scope, design);
    if (!(thrown instanceof HostError) || thrown.code !== 'subscription_required') throw thrown;
    return keepAndGo(scope, design, '/user/subscription');
  }
  const forgetDraft = await visitorCookie({ key: scope.visitor.key });
  const notice = { type: 'success', key: 'qrcode_created', values: { id: made.data.id } } as const;
  return redirectWithFlash('/user/qrcodes', notice, [forgetDraft]);
}

function codeForm({ value, logo }: Design, key: string | undefined, visitor: Visitor): FormData {
  const style = lookOf(value);
  const form = new FormData();
  form.set('isPublic', 'true');
  const { content, subject, body } = compose(value);
  form.set('data', content);
  form.set('type', value.type);
  form.set(
    'parameters',
    JSON.stringify({
      width: 300,
      errorCorrectionLevel: 'H',
      useWhiteBackground: value.useWhiteBackground,
      ...(style && { style }),
      campaign: isRedirected(value.type) ? campaignOf(value).campaign : null,
      subject,
      body,
    }),
  );
  form.set('name', value.name);
  form.set('tags', value.tags);
  form.set('counted', String(!value.uncounted));
  if (logo) form.set('logo', logo);
  else if (value.logoPreset) form.set('logoPreset', value.logoPreset);
  if (value.draft && !value.removeLogo) {
    form.set('draft', value.draft);
    form.set('visitor', visitor.key);
    form.set('needsDraftLogo', String(value.draftLogo));
  }
  if (key) form.set('key', key);
  return form;
}

/**
 * Redirects to the login, as the session has ended. What does not fit in a cookie, a logo or a long design,
 * is stored at the host as a draft; the rest goes in the cookie, which is only shown to its owner.
 */
async function redirectToLogin(scope: Scope, design: Design): Promise<Response> {
  const { submitted = [], visitor } = scope;
  // The login returns to /create, wherever the form was shown.
  const page = new URL('/create', scope.url);
  const { value, logo } = design;
  const fits = !logo && !value.draft && (await interruptedPostCookie(scope, submitted, page)) !== null;
  const draft = fits ? null : await keepDraft(scope, design).catch(() => null);
  if (!draft) return endSession(scope, { submitted, page });
  // A preset would replace the file.
  const replaced = draft.logo?.kind === 'upload' ? ['draft', 'logoPreset', 'removeLogo'] : ['draft'];
  const entered = submitted.filter(([name]) => !replaced.includes(name));
  const response = await endSession(scope, { submitted: [...entered, ['draft', draft.id]], page });
  return withVisitorCookie(response, { ...visitor, draft: draft.id });
}

/** Stores the design until after the purchase, and redirects there. */
async function keepAndGo(scope: Scope, design: Design, to: string): Promise<Response> {
  const draft = await keepValid(scope, design);
  const cookie = await visitorCookie({ ...scope.visitor, draft: draft.id });
  if (to.startsWith('/user/')) {
    return redirectWithFlash(to, { type: 'info', key: 'subscription_needed_design_kept', persistent: true }, [
      cookie,
    ]);
  }
  return redirect(to, { status: 303, headers: { 'Set-Cookie': cookie } });
}
