import "./api/entry-token.ts";
import "./ui/tokens.css";
import "./ui/elements.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/query-client.ts";
import { noteActivity } from "./live/user-activity.ts";
import { router } from "./routes/routes.ts";

noteActivity();
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
}
