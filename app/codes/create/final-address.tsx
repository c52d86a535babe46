import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CampaignCode } from './live-campaign';

interface Props {
  /** Of the form with the parameters. */
  form: string;
  /** As the server knows it; null if there are no parameters, or they are not valid. */
  initial: string | null;
  /** What the form does not have, of a code that exists. */
  code?: CampaignCode;
}

function isChanged({ elements }: HTMLFormElement): boolean {
  return [...elements].some(
    (element) => element instanceof HTMLInputElement && element.value !== element.defaultValue,
  );
}

/** Where visitors are led with the parameters of the form; with scripts as they are typed. */
export function FinalAddress({ form, initial, code }: Props) {
  const { t } = useTranslation('design');
  const [typed, setTyped] = useState<{ initial: string | null; address: string | null }>();
  useEffect(() => {
    const show = async (element: HTMLFormElement) => {
      const { typedAddress } = await import('./live-campaign');
      setTyped({ initial, address: typedAddress(element, code) });
    };
    const update = ({ target }: Event) => {
      const element = (target as Partial<HTMLInputElement>).form;
      if (element?.id === form) show(element);
    };
    const own = document.getElementById(form);
    // Typed before the scripts arrived.
    if (own instanceof HTMLFormElement && isChanged(own)) show(own);
    document.addEventListener('input', update);
    return () => document.removeEventListener('input', update);
  }, [form, initial, code]);
  const address = typed && typed.initial === initial ? typed.address : initial;
  if (address === null) return null;
  return (
    <p className="final-address">
      {t('form.finalAddress')} <span className="mono">{address}</span>
    </p>
  );
}
