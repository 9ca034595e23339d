package ui

import "net/http"

// policy is the Content-Security-Policy of all answers: nothing but files and answers of this server, no inline script or
// style, and no text that becomes a script.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; " +
	"manifest-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types trowel"

// permissions takes away what pages may ask a browser for.
const permissions = "accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), fullscreen=(), gamepad=(), " +
	"geolocation=(), gyroscope=(), hid=(), idle-detection=(), local-fonts=(), magnetometer=(), microphone=(), midi=(), payment=(), " +
	"picture-in-picture=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), storage-access=(), usb=(), " +
	"window-management=(), xr-spatial-tracking=()"

// addHeaders adds the headers that all answers of the UI have.
func addHeaders(header http.Header, encrypted bool) {
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Permissions-Policy", permissions)
	if encrypted {
		header.Set("Strict-Transport-Security", "max-age=31536000")
	}
}
