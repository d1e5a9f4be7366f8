import '@fontsource-variable/geist/wght.css';
import '@fontsource-variable/geist-mono/wght.css';
import './styles.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { queries } from './api';
import { App } from './app';
import { fetchScreenAt } from './screens';
import { reloadAfterUpgrade } from './shell/reload-after-upgrade';
import { watchTyping } from './ui/typed';

reloadAfterUpgrade();
watchTyping();
fetchScreenAt(location.pathname);

createRoot(document.getElementById('root')!).render(
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>,
);
