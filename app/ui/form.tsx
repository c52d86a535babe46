import { type Form as PageForm, useFetcher, useLocation, useRevalidator } from '@remix-run/react';
import {
  type ComponentProps,
  type FormEvent,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { type FailureCode, failureOf } from './form-route';
import { FormContext } from './form-state';
import { Icon } from './icon';
import { useAnswerScope } from './page-answer';
import { findSentKey, usePlace, useRestoredFields, type Values } from './restored-fields';

/** Answers that come sooner are not announced. */
const SLOW_MS = 300;
/** How long a form waits for the page's data to be loaded anew before it is sent all the same. */
const LONGEST_REFRESH_MS = 2_000;
const KEY = 'key';

interface Props extends Omit<ComponentProps<typeof PageForm>, 'method' | 'navigate' | 'children' | 'ref'> {
  children: ReactNode;
  formRef?: RefObject<HTMLFormElement | null>;
  /** What has to be done whenever it is sent, before it leaves. */
  prepare?: (() => Promise<void>) | undefined;
  /** True where a `FormFailure` stands among the children. */
  placesFailure?: boolean;
  /** Where what was typed is kept when the form is left; by default with the page and the step of the history. */
  place?: string | undefined;
  /** What its fields hold before anything is typed. */
  saved?: Values;
  /** What they held when it was answered last. */
  answered?: Values | undefined;
}

interface Sent {
  form: HTMLFormElement;
  button: HTMLElement | null;
  /** Of the page it was sent from. */
  key: string;
}

/**
 * A form that posts. Once scripts run it is sent from within the page, which stays as it is until there is an answer:
 * a refusal is no navigation, and where no answer comes everything is still there to be sent again. Until then it
 * takes no second press.
 */
export function Form({
  children,
  onSubmit,
  prepare,
  placesFailure = false,
  formRef,
  place: ownPlace,
  saved = {},
  answered = {},
  ...props
}: Props) {
  const { Form: SentForm, state, data } = useFetcher();
  const { setAnswer } = useAnswerScope();
  const { key } = useLocation();
  const [sent, setSent] = useState<Sent | null>(null);
  const [failure, setFailure] = useState<FailureCode | null>(null);
  const [answers, setAnswers] = useState(0);
  const goal = useRef<string>();
  const handled = useRef<unknown>();
  const isSlow = useIsSlow(sent);
  const isRefreshing = useRevalidator().state !== 'idle';
  const [held, setHeld] = useState<Sent | null>(null);
  const [isPrepared, setIsPrepared] = useState(true);
  const isReleased = useRef(false);
  const stepPlace = usePlace(props.id);
  const place = ownPlace ?? stepPlace;
  const [sentKey, setSentKey] = useState(() => findSentKey(place));
  const isAnswered = data !== undefined && data !== handled.current;
  // Should it be left now, its answer led on.
  const isAccepted = sent !== null && held === null && state !== 'submitting' && !isAnswered;
  useRestoredFields(props.id, { place, saved, known: [saved, answered], sentKey, isAccepted });

  useEffect(() => {
    // An answer is of the visit it came in: another page, or another language, does not get it again.
    if (isAnswered) {
      handled.current = data;
      const found = failureOf(data);
      setSent(null);
      setFailure(found);
      if (found) return;
      setAnswer(data);
      setAnswers((count) => count + 1);
    } else if (isAccepted && state === 'idle' && sent.key !== key) {
      // Accepted, and led back to this very page, where what was typed would stay beside what is saved.
      sent.form.reset();
      setSent(null);
      setSentKey(undefined);
    }
  }, [data, isAnswered, setAnswer, isAccepted, state, sent, key]);

  useEffect(() => {
    if (answers > 0 && goal.current) document.getElementById(goal.current)?.scrollIntoView();
  }, [answers]);

  useEffect(() => {
    // Were it sent meanwhile, a redirect of the page's loader would be followed instead of the form's.
    if (!held || !isPrepared) return;
    const release = () => {
      isReleased.current = true;
      held.form.requestSubmit(held.button);
    };
    const timer = setTimeout(release, isRefreshing ? LONGEST_REFRESH_MS : 0);
    return () => clearTimeout(timer);
  }, [held, isPrepared, isRefreshing]);

  useEffect(() => {
    // Restored from the back/forward cache, a form that was being sent can be sent again.
    const onShow = ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return;
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
    if (sent) return event.preventDefault();
    onSubmit?.(event);
    if (event.defaultPrevented) return;
    const button = (event.nativeEvent as SubmitEvent).submitter;
    // The fragment at which a document would open.
    goal.current = button?.getAttribute('formaction')?.split('#')[1];
    setFailure(null);
    setSentKey(keyOf(event.currentTarget));
    const sending = { form: event.currentTarget, button, key };
    setSent(sending);
    if (!isRefreshing && !prepare) return;
    event.preventDefault();
    setHeld(sending);
    if (!prepare) return;
    setIsPrepared(false);
    prepare().finally(() => setIsPrepared(true));
  }

  const pressed = isSlow ? (sent?.button ?? null) : null;
  return (
    <SentForm method="post" {...props} ref={formRef as RefObject<HTMLFormElement>} onSubmit={send}>
      <FormContext.Provider value={{ pressed, isSlow, answers, failure, sentKey }}>
        {children}
        {!placesFailure && <FormFailure />}
        {sent && <Sending isSlow={isSlow} />}
      </FormContext.Provider>
    </SentForm>
  );
}

/**
 * Lets what a form asks for happen once, however often it is sent. Once sent, the key stays until the form is accepted,
 * though the page may be loaded anew: of an answer that got lost nobody knows what it was.
 */
export function FormKey({ value }: { value: string | undefined }) {
  const { sentKey } = useContext(FormContext);
  return <input type="hidden" name={KEY} value={sentKey ?? value} />;
}

function keyOf(form: HTMLFormElement): string | undefined {
  const field = form.elements.namedItem(KEY);
  return field instanceof HTMLInputElement ? field.value : undefined;
}

/** Why no answer came, where the button was pressed. */
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

/** Inside the form: what stands outside of an open dialog is not read out. */
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
