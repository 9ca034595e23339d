package dig

// Ids of findings about what Trowel adds to Digdag's language (control K121).
const (
	findingPlace    = "key-place"
	findingTemplate = "key-template"
	findingExport   = "option-in-export"
	findingSpelling = "option-spelling"
)
