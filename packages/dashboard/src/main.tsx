import "./api/entry-token.ts";
import "./ui/tokens.css";
import "./ui/elements.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/query-client.ts";
import { router, startFirstPage } from "./routes/routes.tsx";

/** What is here by then is drawn at once with its content, which costs less than to draw the page without it first. */
const longestWaitMs = 150;

const root = document.getElementById("root");
if (root) {
  const wait = new Promise((resolve) => setTimeout(resolve, longestWaitMs));
  void Promise.race([startFirstPage(), wait]).then(() =>
    createRoot(root).render(
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>,
    ),
  );
}
