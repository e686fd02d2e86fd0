"""What Playwright writes about a test: its calls, requests, console and pictures, in one zip."""
