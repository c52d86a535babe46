import { type ButtonHTMLAttributes, useContext, useRef } from 'react';
import { FormContext } from './form-state';

type Variant = 'primary' | 'secondary' | 'quiet' | 'danger';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: Variant;
  size?: 'small';
}

export function Button({ variant, size, type = 'submit', className, ...rest }: Props) {
  const names = className ? `${buttonClass(variant, size)} ${className}` : buttonClass(variant, size);
  const button = useRef<HTMLButtonElement>(null);
  const { isSlow, pressed } = useContext(FormContext);
  // Not `disabled`, which would take the focus away.
  const isHeld = isSlow && type === 'submit';
  // The space keeps it apart from its neighbour where no style sheet does.
  return (
    <>
      <button
        ref={button}
        type={type}
        className={names}
        aria-disabled={isHeld || undefined}
        aria-busy={(isHeld && pressed === button.current) || undefined}
        {...rest}
      />{' '}
    </>
  );
}

/** For a link that looks like a button. */
export function buttonClass(variant: Variant = 'primary', size?: 'small'): string {
  return `button${variant === 'primary' ? '' : ` ${variant}`}${size ? ` ${size}` : ''}`;
}
