package template

// javaZoneNames returns Java's short names of a zone, in winter and in summer, for zones without an abbreviation in the
// time zone database.
func javaZoneNames(zone string) (standard, summer string) {
	switch zone {
	case "America/Sao_Paulo", "America/Bahia", "America/Fortaleza", "America/Recife", "Brazil/East":
		return "BRT", "BRST"
	case "America/Manaus", "America/Cuiaba", "Brazil/West":
		return "AMT", "AMST"
	case "America/Argentina/Buenos_Aires", "America/Buenos_Aires", "America/Argentina/Cordoba":
		return "ART", "ARST"
	case "America/Santiago", "Chile/Continental":
		return "CLT", "CLST"
	case "America/Bogota":
		return "COT", "COST"
	case "America/Lima":
		return "PET", "PEST"
	case "America/Caracas":
		return "VET", "VEST"
	case "America/La_Paz":
		return "BOT", "BOST"
	case "America/Guayaquil":
		return "ECT", "ECST" //nolint:misspell // Ecuador Time
	case "America/Montevideo":
		return "UYT", "UYST"
	case "America/Asuncion":
		return "PYT", "PYST"
	case "Atlantic/Azores":
		return "AZOT", "AZOST"
	case "Atlantic/Cape_Verde":
		return "CVT", "CVST"
	case "Africa/Casablanca":
		return "WET", "WEST"
	default:
		return javaZoneNamesEast(zone)
	}
}

func javaZoneNamesEast(zone string) (standard, summer string) {
	switch zone {
	case "Europe/Istanbul", "Asia/Istanbul", "Turkey":
		return "TRT", "TRST"
	case "Europe/Minsk":
		return "MSK", "MSD"
	case "Europe/Samara":
		return "SAMT", "SAMST"
	case "Asia/Dubai", "Asia/Muscat":
		return "GST", "GDT"
	case "Asia/Riyadh", "Asia/Baghdad", "Asia/Kuwait", "Asia/Qatar", "Asia/Bahrain":
		return "AST", "ADT"
	case "Asia/Tehran", "Iran":
		return "IRST", "IRDT"
	case "Asia/Baku":
		return "AZT", "AZST"
	case "Asia/Tbilisi":
		return "GET", "GEST"
	case "Asia/Yerevan":
		return "AMT", "AMST"
	case "Asia/Kabul":
		return "AFT", "AFST"
	case "Asia/Tashkent", "Asia/Samarkand":
		return "UZT", "UZST"
	case "Asia/Yekaterinburg":
		return "YEKT", "YEKST"
	case "Asia/Colombo":
		return "IST", "IST"
	case "Asia/Kathmandu", "Asia/Katmandu":
		return "NPT", "NPST"
	case "Asia/Dhaka", "Asia/Dacca":
		return "BDT", "BDST"
	case "Asia/Almaty":
		return "ALMT", "ALMST"
	case "Asia/Yangon", "Asia/Rangoon":
		return "MMT", "MMST"
	case "Asia/Bangkok", "Asia/Ho_Chi_Minh", "Asia/Saigon", "Asia/Phnom_Penh", "Asia/Vientiane":
		return "ICT", "ICST"
	case "Asia/Novosibirsk":
		return "NOVT", "NOVST"
	case "Asia/Krasnoyarsk":
		return "KRAT", "KRAST"
	case "Asia/Singapore", "Singapore":
		return "SGT", "SGST"
	case "Asia/Kuala_Lumpur":
		return "MYT", "MYST"
	case "Asia/Irkutsk":
		return "IRKT", "IRKST"
	case "Asia/Ulaanbaatar":
		return "ULAT", "ULAST"
	case "Asia/Vladivostok":
		return "VLAT", "VLAST"
	case "Asia/Kamchatka":
		return "PETT", "PETST"
	case "Pacific/Fiji":
		return "FJT", "FJST"
	}
	return "", ""
}
