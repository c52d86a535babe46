import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { FailureCode } from './form-route';
import { Icon } from './icon';
import { moveFocusOut } from './leaving-focus';

interface Props {
  failure: FailureCode;
  opener: Element | null;
  onClose: () => void;
}

/** Says why loading failed, over a page that stays unchanged. */
export function LoadFailure({ failure, opener, onClose }: Props) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const close = () => {
    moveFocusOut(box.current, opener);
    onClose();
  };
  return (
    <div ref={box} role="alert" className="notice error passing">
      <Icon name="error" />
      <p>{t(`form.failures.${failure}`)}</p>
      <button type="button" className="icon-button" onClick={close}>
        <Icon name="close" />
        <span className="sr-only">{t('notice.close')}</span>
      </button>
    </div>
  );
}
