import { Form as PageForm, useFetcher, useLocation } from '@remix-run/react';
import {
  type ComponentProps,
  createContext,
  type FormEvent,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { afterReload, isReloading } from './background-refresh';
import { type FailureCode, failureOf } from './form-route';
import { Icon } from './icon';
import { useActionDataScope } from './page-action-data';
import { findSentKey, usePlace, useRestoredFields, type Values } from './restored-fields';

/** Faster responses are not announced. */
const SLOW_MS = 300;
const KEY = 'key';
/** Name of the field with the errors that a form shows, which a switch of language or theme submits too. */
export const SHOWN_ERRORS = 'shownErrors';
/** Name of the field with the intent of the button that submitted it then: that of a switch has none. */
const SHOWN_INTENT = 'shownIntent';
/** Name of the field with the form's own id: without scripts, a refused form is the one that a switch submits. */
const FORM_ID = 'formId';

interface Props extends Omit<ComponentProps<typeof PageForm>, 'method' | 'navigate' | 'children' | 'ref'> {
  children: ReactNode;
  formRef?: RefObject<HTMLFormElement | null>;
  /** Runs before each submission, which waits for it. */
  prepare?: (() => Promise<void>) | undefined;
  /** True if the children contain a `FormFailure`. */
  placesFailure?: boolean;
  /** Key of the typed values while the form is left; by default the page and its history entry. */
  place?: string | undefined;
  /** Values of its fields before anything is typed. */
  saved?: Values;
  /** Values of its fields in the last response. */
  submitted?: Values | undefined;
  /** The message codes it shows, by field. */
  errors?: Record<string, string[]>;
}

interface Sent {
  form: HTMLFormElement;
  button: HTMLElement | null;
  /** Location key of the page it was sent from. */
  key: string;
}

/** What the controls of a form need to know about its submission. */
interface FormState {
  /** The button that submitted it, once the response is slow. */
  pressed: HTMLElement | null;
  isSlow: boolean;
  /** How many results the server has returned for it. */
  resultCount: number;
  /** Why there was no response. */
  failure: FailureCode | null;
  /** The idempotency key it was sent with, until it is accepted. */
  sentKey: string | undefined;
}

export const FormContext = createContext<FormState>({
  pressed: null,
  isSlow: false,
  resultCount: 0,
  failure: null,
  sentKey: undefined,
});

/**
 * A form that posts. Once scripts run, a fetcher submits it and the page stays until there is a response: a
 * refusal is no navigation, and a failure loses nothing that was typed. Until then it ignores submits.
 */
export function Form({
  children,
  onSubmit,
  prepare,
  placesFailure = false,
  formRef,
  place: ownPlace,
  saved = {},
  submitted = {},
  errors = {},
  ...props
}: Props) {
  const id = useId();
  // A fetcher for each result: the router never cleans up after one that submits again while the page's data is
  // reloaded for its last result, and then fails at the next navigation.
  const [resultsSeen, setResultsSeen] = useState(0);
  const fetcherKey = `${id}${resultsSeen}`;
  const { state, data } = useFetcher({ key: fetcherKey });
  const { setActionData } = useActionDataScope();
  const { key } = useLocation();
  const [sent, setSent] = useState<Sent | null>(null);
  const [failure, setFailure] = useState<FailureCode | null>(null);
  const [resultCount, setResultCount] = useState(0);
  const scrollTarget = useRef<string>();
  const next = useRef<HTMLElement | null>(null);
  const isSlow = useIsSlow(sent);
  const [held, setHeld] = useState<Sent | null>(null);
  const [isPrepared, setIsPrepared] = useState(true);
  const isReleased = useRef(false);
  const stepPlace = usePlace(props.id);
  const place = ownPlace ?? stepPlace;
  const [sentKey, setSentKey] = useState(() => findSentKey(place));
  const hasNewResult = data !== undefined;
  // If the form unmounts in this state, the response was a redirect.
  const isAccepted = sent !== null && held === null && state !== 'submitting' && !hasNewResult;
  useRestoredFields(props.id, { place, saved, known: [saved, submitted], sentKey, isAccepted });

  useEffect(() => {
    // A result belongs to the visit in which it arrived: it is not passed on to another page or language.
    if (hasNewResult) {
      setResultsSeen((count) => count + 1);
      const found = failureOf(data);
      setSent(null);
      setFailure(found);
      if (found) return;
      setActionData(data);
      setResultCount((count) => count + 1);
    } else if (isAccepted && state === 'idle' && sent.key !== key) {
      // Accepted, with a redirect to this same page, where typed values would remain next to the saved ones.
      sent.form.reset();
      setSent(null);
      setSentKey(undefined);
    }
  }, [data, hasNewResult, setActionData, isAccepted, state, sent, key]);

  useEffect(() => {
    const button = next.current;
    if (sent || !(button instanceof HTMLButtonElement)) return;
    next.current = null;
    if (!failure && button.isConnected) button.form?.requestSubmit(button);
  }, [sent, failure]);

  useEffect(() => {
    if (resultCount > 0 && scrollTarget.current)
      document.getElementById(scrollTarget.current)?.scrollIntoView();
  }, [resultCount]);

  useEffect(() => {
    // During a reload the router would follow a redirect of the page's loader instead of the form's.
    if (!held || !isPrepared) return;
    return afterReload(() => {
      isReleased.current = true;
      held.form.requestSubmit(held.button);
    });
  }, [held, isPrepared]);

  useEffect(() => {
    // Restored from the back/forward cache, a form that was being sent can be sent again.
    const onShow = ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return;
      next.current = null;
      setSent(null);
      setHeld(null);
    };
    window.addEventListener('pageshow', onShow);
    return () => window.removeEventListener('pageshow', onShow);
  }, []);

  function send(event: FormEvent<HTMLFormElement>) {
    if (isReleased.current) {
      isReleased.current = false;
      return setHeld(null);
    }
    const button = (event.nativeEvent as SubmitEvent).submitter;
    if (sent) {
      // A preview changes nothing, so what is pressed meanwhile can follow it.
      if (isPreview(sent.button) && button !== sent.button) next.current = button;
      return event.preventDefault();
    }
    onSubmit?.(event);
    if (event.defaultPrevented) return;
    // The fragment to which a full page load would scroll.
    scrollTarget.current = button?.getAttribute('formaction')?.split('#')[1];
    setFailure(null);
    setSentKey(keyOf(event.currentTarget));
    const sending = { form: event.currentTarget, button, key };
    setSent(sending);
    if (!isReloading() && !prepare) return;
    event.preventDefault();
    setHeld(sending);
    if (!prepare) return;
    setIsPrepared(false);
    prepare().finally(() => setIsPrepared(true));
  }

  const pressed = isSlow ? (sent?.button ?? null) : null;
  return (
    <PageForm
      method="post"
      {...props}
      discover="none"
      navigate={false}
      fetcherKey={fetcherKey}
      ref={formRef as RefObject<HTMLFormElement>}
      onSubmit={send}
    >
      <FormContext.Provider value={{ pressed, isSlow, resultCount, failure, sentKey }}>
        {props.id && <input type="hidden" name={FORM_ID} value={props.id} />}
        {Object.keys(errors).length > 0 && (
          <>
            <input type="hidden" name={SHOWN_ERRORS} value={JSON.stringify(errors)} />
            {typeof submitted.intent === 'string' && (
              <input type="hidden" name={SHOWN_INTENT} value={submitted.intent} />
            )}
          </>
        )}
        {children}
        {!placesFailure && <FormFailure />}
        {sent && <Sending isSlow={isSlow} />}
      </FormContext.Provider>
    </PageForm>
  );
}

/**
 * Idempotency key, so that a form takes effect once, however often it is sent. A key that was sent is kept
 * until the form is accepted, even if the page reloads with a new one: a request whose response was lost may
 * have succeeded.
 */
export function FormKey({ value }: { value: string | undefined }) {
  const { sentKey } = useContext(FormContext);
  return <input type="hidden" name={KEY} value={sentKey ?? value} />;
}

function isPreview(button: HTMLElement | null): boolean {
  return button instanceof HTMLButtonElement && button.value === 'preview';
}

function keyOf(form: HTMLFormElement): string | undefined {
  const field = form.elements.namedItem(KEY);
  return field instanceof HTMLInputElement ? field.value : undefined;
}

/** Why the submission failed, next to the button. */
export function FormFailure() {
  const { t } = useTranslation();
  const { failure } = useContext(FormContext);
  return (
    failure && (
      <p role="alert" className="warning">
        <Icon name="error" />
        {t(`form.failures.${failure}`)}
      </p>
    )
  );
}

/** Inside the form, as screen readers do not announce anything outside an open dialog. */
function Sending({ isSlow }: { isSlow: boolean }) {
  const { t } = useTranslation();
  return (
    <span role="status" className="sr-only">
      {isSlow && t('form.sending')}
    </span>
  );
}

function useIsSlow(sent: Sent | null): boolean {
  const [slow, setSlow] = useState<Sent | null>(null);
  useEffect(() => {
    if (!sent) return;
    const timer = setTimeout(() => setSlow(sent), SLOW_MS);
    return () => clearTimeout(timer);
  }, [sent]);
  return sent !== null && slow === sent;
}
