import { type ComponentProps, lazy, Suspense, useState } from "react";
import controls from "../controls.module.css";
import { Icon } from "../Icon.tsx";
import { AppLink } from "./AppLink.tsx";

// Where it cannot be loaded, the reason is still in the button's title.
const ReasonLayer = lazy(() =>
  import("../layers/ReasonLayer.tsx").then(
    (part) => ({ default: part.ReasonLayer }),
    () => ({ default: () => null }),
  ),
);

interface Look {
  /** With a frame plain, main or danger. Without one: a link among words, an icon alone, or a tool of a bar. */
  variant?: keyof typeof looks | undefined;
  /** The height of the fields in a form instead of that of a tool. */
  size?: "big" | undefined;
  /** The icon before its words. */
  icon?: string | undefined;
  className?: string | undefined;
}

interface ButtonProps extends Look, Omit<ComponentProps<"button">, "disabled" | keyof Look> {
  /** Why it cannot be pressed, said when it is pressed or reached by the keyboard; null when it can. */
  disabledReason?: string | null;
  /** It is off without a reason to tell, as while what it does is under way. */
  isPending?: boolean;
}

const looks = {
  plain: controls.btn,
  main: `${controls.btn} ${controls.pri}`,
  danger: `${controls.btn} ${controls.danger}`,
  link: controls.lnk,
  icon: controls.ib,
  tool: controls.tool,
};

export const buttonClass = ({ variant = "plain", size, className }: Look): string =>
  [looks[variant], size && controls.big, className].filter(Boolean).join(" ");

/** A button. While it is off it keeps its place and the focus. */
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
          // Enter in a field presses it too, so that this holds back the form.
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

/** A link that looks like a button. */
export function ButtonLink({ variant, size, icon, className, ...link }: Look & ComponentProps<typeof AppLink>) {
  return (
    <AppLink {...link} className={buttonClass({ variant, size, className })}>
      {icon && <Icon name={icon} />}
      {link.children}
    </AppLink>
  );
}
