import { type ComponentProps, lazy, Suspense, useState } from "react";
import controls from "../controls.module.css";
import { Icon } from "../Icon.tsx";
import { AppLink } from "./AppLink.tsx";

// If it can't be loaded, the reason is still in the button's title.
const ReasonLayer = lazy(() =>
  import("../layers/ReasonLayer.tsx").then(
    (part) => ({ default: part.ReasonLayer }),
    () => ({ default: () => null }),
  ),
);

interface ButtonStyle {
  /** Framed: plain, main or danger. Unframed: an inline link, an icon, or a toolbar button. */
  variant?: keyof typeof variants | undefined;
  /** As high as form fields instead of toolbar buttons. */
  size?: "big" | undefined;
  /** The icon before the label. */
  icon?: string | undefined;
  className?: string | undefined;
}

interface ButtonProps extends ButtonStyle, Omit<ComponentProps<"button">, "disabled" | keyof ButtonStyle> {
  /** Why it is disabled, shown when it is pressed or focused by keyboard; null when enabled. */
  disabledReason?: string | null;
  /** Disabled without a reason, for example while its request runs. */
  isPending?: boolean;
}

const variants = {
  plain: controls.btn,
  main: `${controls.btn} ${controls.pri}`,
  danger: `${controls.btn} ${controls.danger}`,
  link: controls.lnk,
  icon: controls.ib,
  tool: controls.tool,
};

export const buttonClass = ({ variant = "plain", size, className }: ButtonStyle): string =>
  [variants[variant], size && controls.big, className].filter(Boolean).join(" ");

/** A button that stays focusable while disabled. */
export function Button({ variant, size, icon, className, disabledReason, isPending, ...button }: ButtonProps) {
  const [tried, setTried] = useState<HTMLElement | null>(null);
  const isOff = isPending || (disabledReason === undefined ? undefined : disabledReason !== null);
  return (
    <>
      <button
        type="button"
        {...button}
        className={buttonClass({ variant, size, className })}
        aria-disabled={isOff}
        title={disabledReason ?? button.title}
        onFocus={({ currentTarget }) => currentTarget.matches(":focus-visible") && setTried(currentTarget)}
        onBlur={() => setTried(null)}
        onClick={(event) => {
          if (!isOff) return button.onClick?.(event);
          // Enter in a field clicks it too; this prevents the submission.
          event.preventDefault();
          setTried(event.currentTarget);
        }}
      >
        {icon && <Icon name={icon} />}
        {button.children}
      </button>
      {tried && disabledReason && (
        <Suspense fallback={null}>
          <ReasonLayer button={tried} reason={disabledReason} onClose={() => setTried(null)} />
        </Suspense>
      )}
    </>
  );
}

/** A link styled as a button. */
export function ButtonLink({ variant, size, icon, className, ...link }: ButtonStyle & ComponentProps<typeof AppLink>) {
  return (
    <AppLink {...link} className={buttonClass({ variant, size, className })}>
      {icon && <Icon name={icon} />}
      {link.children}
    </AppLink>
  );
}
