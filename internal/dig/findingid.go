package dig

// Ids of findings about what Trowel adds to Digdag's language (control K121).
const (
	findingPlace    = "key-place"
	findingTemplate = "key-template"
	findingExport   = "option-in-export"
	findingSpelling = "option-spelling"
	findingValue    = "option-value" // of a wrong type, or out of its bounds (control K110)
	findingLater    = "option-later" // in control.md, but not in this version
	findingPool     = "pool-unknown" // control K803
	findingLimit    = "limit-agents" // control K823
	findingDigdag   = "digdag"       // what Digdag does with it (control K102)
)
