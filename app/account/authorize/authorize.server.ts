import { data, redirect, redirectDocument } from '@remix-run/node';
import { z } from 'zod';
import { answerAuthorization, getAuthorization } from '#contract/authorizations';
import { getSignIn } from '#contract/sign-in';
import { handleForm, orConflict, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { Scope, UserScope } from '~/http/scope.server';

const OVER = '/user/authorize/refused?error=over';
/** Signs the cookie with which the host has bound the request to this browser. */
const SIGNATURE = /(?:^|;\s*)(?:__Secure-)?oauth-request\.sig=([\w-]+)/;

const AnswerForm = z.object({
  answer: z.enum(['allow', 'refuse']),
  permission: z.enum(['read', 'change']).default('read'),
  tag: z.string().default(''),
  currentPassword: z.string().default(''),
  code: z.string().default(''),
});

/** Who asks for what. */
export async function readRequest(scope: UserScope, request: string | undefined) {
  const query = { request: request ?? '', proof: proofOf(scope) };
  try {
    const [{ data: found }, { data: signIn }] = await Promise.all([
      callHost(scope, getAuthorization, { query }),
      callHost(scope, getSignIn),
    ]);
    const hasSecondFactor = signIn.secondFactorSince !== null;
    return { ...found, email: scope.user.email, hasSecondFactor };
  } catch (thrown) {
    throw isOver(thrown) ? redirect(OVER, 303) : thrown;
  }
}

export type AuthorizationRequest = Awaited<ReturnType<typeof readRequest>>;

/** Takes the answer. This page is then shown once more: it leads on, which the redirect of a form might not. */
export async function handleAnswer(scope: UserScope, request: string | undefined) {
  const fields = Object.keys(AnswerForm.shape);
  const errorsIn = (refusal: HostError) => {
    if (isOver(refusal)) throw redirect(OVER, 303);
    return orConflict('grants_full', fields)(refusal);
  };
  const form = await readForm(scope, fields);
  return handleForm(scope, form, AnswerForm, errorsIn, async ({ answer, ...choice }) => {
    const which = { request: request ?? '', proof: proofOf(scope) };
    await callHost(scope, answerAuthorization, {
      body: { ...which, allow: answer === 'allow', ...choice },
    });
    return redirectDocument(scope.url.pathname, 303);
  });
}

const REASONS = ['over', 'invalid_client', 'invalid_redirect_uri', 'rate_limited', 'other'] as const;
export type Reason = (typeof REASONS)[number];

/** Why a request could not be shown, of which the program learns nothing. */
export function readRefusal({ url }: Scope) {
  const error = url.searchParams.get('error') ?? '';
  const named = error === 'session_not_found' ? 'over' : error;
  const reason: Reason = REASONS.find((one) => one === named) ?? 'other';
  return data({ reason }, { status: reason === 'rate_limited' ? 429 : 400 });
}

function proofOf({ request }: Scope): string {
  return SIGNATURE.exec(request.headers.get('cookie') ?? '')?.[1] ?? '';
}

/** The request has ended, or another browser has begun it. */
function isOver(thrown: unknown): boolean {
  return thrown instanceof HostError && (thrown.status === 404 || thrown.errors.request !== undefined);
}
