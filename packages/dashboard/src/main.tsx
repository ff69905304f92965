import "./entry-token.ts";
import "./ui/tokens.css";
import "./ui/elements.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { queryClient } from "./query-client.ts";
import { router, startFirstPage } from "./routes.tsx";

startFirstPage();

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
}
